server = true
bootstrap = true
data_dir = "/tmp/consul"
bind_addr = "127.0.0.1"
ports {
  http = -1
  https = 8501
}
