"""Sends messages to a topic, finding its brokers through a NameServer, and consumes its own and those of others.
It does what Exchange.java does, by the Python client `rocketmq` and the C++ client in it.

    main.py NAMESRV TOPIC NAME COUNT NAMES TIMEOUT_SECONDS

NAME marks its messages; NAMES, separated by commas, are those whose messages it waits for, COUNT each. It exits 0 only if each has arrived
once; 1 if not in time, or one twice; 2 on any error.
"""
import os
import sys
import threading
import time
import traceback

from rocketmq.client import Message, Producer, PushConsumer, SendStatus

TAG = "exchange"
CREDENTIALS = ("key", "secret", "ALIYUN")  # requests are signed; nobody checks


def send(namesrv, topic, name, count):
    producer = Producer("producer_" + name)
    producer.set_namesrv_addr(namesrv)
    producer.set_session_credentials(*CREDENTIALS)
    producer.start()
    for number in range(count):
        message = Message(topic)
        message.set_tags(TAG)
        message.set_body("{}#{} {}".format(name, number, "large " * 2000 if number == 0 else ""))
        result = producer.send_sync(message)
        if result.status != SendStatus.OK:
            raise RuntimeError("a message was answered with {}".format(result))
    producer.shutdown()


def consume(namesrv, topic, name, awaited, deadline):
    missing, seen, twice = set(awaited), set(), set()
    lock = threading.Lock()
    everything = threading.Event()

    def take(message):
        message_id = message.body.decode("utf-8").split(" ", 1)[0]
        with lock:
            if message_id in seen:
                twice.add(message_id)
            if message_id in missing:
                missing.remove(message_id)
                seen.add(message_id)
            if not missing:
                everything.set()

    consumer = PushConsumer("consumer_" + name)
    consumer.set_namesrv_addr(namesrv)
    consumer.set_session_credentials(*CREDENTIALS)
    consumer.set_instance_name("consumer_" + name)
    consumer.subscribe(topic, take, TAG)
    consumer.start()
    everything.wait(deadline - time.monotonic())
    consumer.shutdown()
    return missing, twice


def main():
    if len(sys.argv) != 7:
        sys.stderr.write("usage: main.py NAMESRV TOPIC NAME COUNT NAMES TIMEOUT_SECONDS\n")
        return 2
    namesrv, topic, name, count, names, timeout_seconds = sys.argv[1:]
    deadline = time.monotonic() + int(timeout_seconds)
    send(namesrv, topic, name, int(count))
    print("sent {} as {}".format(count, name))
    awaited = ["{}#{}".format(other, number) for other in names.split(",") for number in range(int(count))]
    missing, twice = consume(namesrv, topic, name, awaited, deadline)
    if missing or twice:
        print("MISSING {} TWICE {}".format(sorted(missing), sorted(twice)))
        return 1
    print("received all once")
    return 0


try:
    status = main()
except Exception:
    traceback.print_exc()
    status = 2
sys.stdout.flush()
os._exit(status)  # the C++ client leaves threads running after a failed start
