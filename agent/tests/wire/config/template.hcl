datacenter = "dc1"
data_dir = "/tmp/consul"
server = true
bootstrap_expect = 1
bind_addr = "{{ GetAllInterfaces | include \"network\" \"127.0.0.0/8\" | attr \"address\" }}"
client_addr = "{{ GetAllInterfaces | include \"name\" \"lo\" | include \"type\" \"ipv4\" | attr \"address\" }}"
