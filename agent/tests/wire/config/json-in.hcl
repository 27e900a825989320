{
  "bind_addr": "127.0.0.1",
  "client_addr": "127.0.0.1",
  "datacenter": "dev-datacenter",
  "data_dir": "/tmp/consul",
  "log_level": "INFO",
  "enable_debug": true,
  "node_name": "consul-devagent",
  "server": true,
  "bootstrap_expect": 1,
  "ui": true,
  "leave_on_terminate": false,
  "skip_leave_on_interrupt": true,
  "rejoin_after_leave": true
}
