import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * Sends messages to a topic, finding its brokers through a NameServer, and consumes its own and those of others.
 *
 * <pre>apache java VERSION Exchange.java NAMESRV TOPIC NAME COUNT NAMES TIMEOUT_SECONDS [orderly|fail-once]</pre>
 *
 * NAME marks its messages; NAMES, separated by commas, are those whose messages it waits for, COUNT each. orderly: consumes with locks.
 * fail-once: its listener fails for the first message it gets, which then has to come again.
 *
 * Exits 0 only if each has arrived once; 1 if not in time, or one twice; 2 on any error.
 */
public class Exchange {
    private static final String TAG = "exchange";

    public static void main(String[] args) {
        int status = 2;
        try {
            status = run(args);
        } catch (Throwable e) {
            e.printStackTrace();
        }
        System.out.flush();
        Runtime.getRuntime().halt(status); // the client leaves threads running after a failed start
    }

    private static int run(String[] args) throws Exception {
        if (args.length < 6) {
            System.err.println("usage: Exchange NAMESRV TOPIC NAME COUNT NAMES TIMEOUT_SECONDS [orderly|fail-once]");
            return 2;
        }
        String namesrv = args[0];
        String topic = args[1];
        String name = args[2];
        int count = Integer.parseInt(args[3]);
        String[] names = args[4].split(",");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.parseInt(args[5]));
        String mode = args.length > 6 ? args[6] : "";

        send(namesrv, topic, name, count);
        System.out.println("sent " + count + " as " + name);

        Set<String> missing = ConcurrentHashMap.newKeySet();
        for (String other : names) {
            for (int i = 0; i < count; i++) {
                missing.add(other + "#" + i);
            }
        }
        Set<String> known = Set.copyOf(missing);
        Set<String> twice = ConcurrentHashMap.newKeySet();
        CountDownLatch all = new CountDownLatch(known.size());
        AtomicBoolean fails = new AtomicBoolean(mode.equals("fail-once"));

        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("consumer_" + name);
        consumer.setNamesrvAddr(namesrv);
        consumer.setInstanceName("consumer_" + name);
        consumer.setPollNameServerInterval(1000);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.subscribe(topic, TAG);
        if (mode.equals("orderly")) {
            consumer.registerMessageListener((MessageListenerOrderly) (messages, context) -> {
                messages.forEach(m -> take(m, missing, known, twice, all));
                return ConsumeOrderlyStatus.SUCCESS;
            });
        } else {
            consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
                if (fails.compareAndSet(true, false)) {
                    System.out.println("failed for " + id(messages.get(0)));
                    return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                }
                messages.forEach(m -> take(m, missing, known, twice, all));
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
        }
        consumer.start();
        boolean arrived = all.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        consumer.shutdown();
        if (!arrived || !twice.isEmpty()) {
            System.out.println("MISSING " + new TreeSet<>(missing) + " TWICE " + new TreeSet<>(twice));
            return 1;
        }
        System.out.println("received all once");
        return 0;
    }

    /** The first messages one by one, a large one among them, which goes compressed; the last two as a batch. */
    private static void send(String namesrv, String topic, String name, int count) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer("producer_" + name);
        producer.setNamesrvAddr(namesrv);
        producer.setInstanceName("producer_" + name);
        producer.setSendMsgTimeout(5000);
        producer.start();
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String body = name + "#" + i + " " + (i == 0 ? "large ".repeat(2000) : "");
            messages.add(new Message(topic, TAG, body.getBytes(StandardCharsets.UTF_8)));
        }
        for (Message message : messages.subList(0, count - 2)) {
            producer.send(message);
        }
        producer.send(messages.subList(count - 2, count));
        producer.shutdown();
    }

    private static void take(
            MessageExt message, Set<String> missing, Set<String> known, Set<String> twice, CountDownLatch all) {
        String id = id(message);
        if (missing.remove(id)) {
            all.countDown();
        } else if (known.contains(id)) {
            twice.add(id);
        }
    }

    private static String id(MessageExt message) {
        return new String(message.getBody(), StandardCharsets.UTF_8).split(" ", 2)[0];
    }
}
