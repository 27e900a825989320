#!/bin/sh
# runs on every host, only one may work
export CONSUL_HTTP_ADDR=${CONSUL_HTTP_ADDR:=http://127.0.0.1:8500}
readonly LOCK="cron/$(basename $0)"
SESSION=`curl -s -X PUT -d "{\"Name\":\"$(hostname)\",\"TTL\":\"60s\"}" $CONSUL_HTTP_ADDR/v1/session/create | sed 's/.*"ID":"\([^"]*\)".*/\1/'`
GOT=$(curl -s -X PUT --data-binary "$(hostname)" "$CONSUL_HTTP_ADDR/v1/kv/$LOCK?acquire=$SESSION")
case "$GOT" in
  true) ./backup.sh ;;
  *) echo "not the leader"; exit 0 ;;
esac
curl -s -X PUT "$CONSUL_HTTP_ADDR/v1/kv/$LOCK?release=$SESSION" >/dev/null && curl -s -X PUT "$CONSUL_HTTP_ADDR/v1/session/destroy/$SESSION" >/dev/null
