datacenter = "localhost",
data_dir = "/tmp/consul"
log_level = "err"

server = true
bootstrap_expect = 1
ui = true

bind_addr = "127.0.0.1"
client_addr = "127.0.0.1"

ports {
  dns = 8653
}
