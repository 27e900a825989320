server = true
bootstrap = true
data_dir = "/tmp/consul"
bind_addr = "127.0.0.1"
node_name = "one"
disable_update_check = true
ports { grpc = 8502 }
connect { enabled = true }
telemetry { prometheus_retention_time = "30s", disable_hostname = true }
performance { raft_multiplier = 1 }
