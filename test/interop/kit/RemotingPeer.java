import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import io.netty.channel.ChannelHandlerContext;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.acl.common.AclClientRPCHook;
import org.apache.rocketmq.acl.common.SessionCredentials;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.remoting.CommandCustomHeader;
import org.apache.rocketmq.remoting.InvokeCallback;
import org.apache.rocketmq.remoting.common.RemotingHelper;
import org.apache.rocketmq.remoting.common.TlsMode;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyRemotingClient;
import org.apache.rocketmq.remoting.netty.NettyRemotingServer;
import org.apache.rocketmq.remoting.netty.NettyRequestProcessor;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.netty.ResponseFuture;
import org.apache.rocketmq.remoting.netty.TlsSystemConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.SerializeType;

/**
 * Apache RocketMQ's remoting clients and servers, as many as one asks for, driven by lines.
 *
 * <pre>apache java VERSION RemotingPeer.java</pre>
 *
 * Each line of stdin is a command: {"id":1,"op":"invokeSync",...}. Each gets a line on stdout that begins with "@":
 * {"id":1,"result":...} or {"id":1,"error":CLASS,"message":...}. Requests that are oneway are told of by {"event":"oneway",...}.
 * Commands run side by side. Ends with its stdin.
 *
 * <pre>
 * client   name, set (properties of NettyClientConfig), credentials (accessKey, secretKey, securityToken)
 * server   name, set (properties of NettyServerConfig), verify (accessKey, secretKey)     gives {port}
 * tls      set (fields of TlsSystemConfig, for what is made from here on)
 * invokeSync, invokeAsync, invokeOneway   name (of a client), address, timeoutMillis, request    gives the answer and millis
 * release  lets one blocked processor go on
 * shutdown name
 * </pre>
 *
 * A request: code, header (brokerAddr, brokerId, brokerName, clusterName: fields of a header class), extFields, body (text) or bodyBytes
 * (so many made up ones), serialize, version.
 */
public class RemotingPeer {
    /** Answered with the request's ext fields, body and remark. */
    private static final int ECHO = 9001;
    /** Answered with code 17. */
    private static final int FAIL = 9002;
    /** The processor throws. */
    private static final int THROW = 9003;
    /** The processor gives no answer. */
    private static final int SILENT = 9004;
    /** The processor rejects every request. */
    private static final int REJECT = 9005;
    /** The processor waits to be released; one at a time, and one more in the queue. */
    private static final int BLOCK = 9006;
    /** The server calls the client back with ECHO, and answers with what came. */
    private static final int CALL_BACK = 9007;
    /** The server sends the client ECHO oneway, then answers. */
    private static final int CALL_BACK_ONEWAY = 9008;
    /** Answered with the address of the one who asks, as remark. */
    private static final int WHO = 9009;

    private static final boolean HAS_CALLBACK_RESULTS =
        Arrays.stream(InvokeCallback.class.getMethods()).anyMatch(method -> method.getName().equals("operationSucceed"));

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private static final Map<String, NettyRemotingClient> CLIENTS = new ConcurrentHashMap<>();
    private static final Map<String, NettyRemotingServer> SERVERS = new ConcurrentHashMap<>();
    private static final Semaphore RELEASES = new Semaphore(0);
    private static final ExecutorService WORKERS = Executors.newCachedThreadPool();

    public static void main(String[] args) throws Exception {
        System.setProperty("rocketmq.remoting.version", Integer.toString(MQVersion.CURRENT_VERSION));
        say("{\"event\":\"ready\"}");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JSONObject command = JSON.parseObject(line);
            WORKERS.execute(() -> answer(command));
        }
        Runtime.getRuntime().halt(0);
    }

    private static void answer(JSONObject command) {
        JSONObject answer = new JSONObject();
        answer.put("id", command.get("id"));
        try {
            answer.put("result", run(command));
        } catch (Throwable thrown) {
            Throwable error = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
            answer.put("error", error.getClass().getSimpleName());
            answer.put("message", String.valueOf(error.getMessage()));
            answer.put("cause", String.valueOf(error.getCause()));
        }
        say(answer.toJSONString());
    }

    private static synchronized void say(String json) {
        OUT.println("@" + json);
    }

    private static JSONObject run(JSONObject command) throws Exception {
        String name = command.getString("name");
        switch (command.getString("op")) {
            case "client": startClient(name, command); return null;
            case "server": return startServer(name, command);
            case "tls": setTls(command.getJSONObject("set")); return null;
            case "invokeSync":
            case "invokeAsync":
            case "invokeOneway": return invoke(CLIENTS.get(name), command);
            case "release": RELEASES.release(); return null;
            case "shutdown": shutdown(name); return null;
            default: throw new IllegalArgumentException("no such op: " + command);
        }
    }

    private static void startClient(String name, JSONObject command) throws Exception {
        NettyClientConfig config = new NettyClientConfig();
        setProperties(config, command.getJSONObject("set"));
        NettyRemotingClient client = new NettyRemotingClient(config);
        client.registerProcessor(ECHO, new Processor(null), null);
        JSONObject credentials = command.getJSONObject("credentials");
        if (credentials != null) {
            client.registerRPCHook(new AclClientRPCHook(new SessionCredentials(
                credentials.getString("accessKey"), credentials.getString("secretKey"), credentials.getString("securityToken"))));
        }
        client.start();
        CLIENTS.put(name, client);
    }

    private static JSONObject startServer(String name, JSONObject command) throws Exception {
        NettyServerConfig config = new NettyServerConfig();
        config.setListenPort(0);
        setProperties(config, command.getJSONObject("set"));
        NettyRemotingServer server = new NettyRemotingServer(config);
        JSONObject verify = command.getJSONObject("verify");
        Processor processor = new Processor(server, verify == null ? null : new Verifier(verify));
        Processor rejecting = new Processor(server) {
            @Override
            public boolean rejectRequest() {
                return true;
            }
        };
        for (int code : new int[] {ECHO, FAIL, THROW, SILENT, CALL_BACK, CALL_BACK_ONEWAY, WHO}) {
            server.registerProcessor(code, processor, WORKERS);
        }
        server.registerProcessor(REJECT, rejecting, WORKERS);
        server.registerProcessor(BLOCK, processor,
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1)));
        server.start();
        SERVERS.put(name, server);
        JSONObject result = new JSONObject();
        result.put("port", server.localListenPort());
        return result;
    }

    private static void shutdown(String name) {
        NettyRemotingClient client = CLIENTS.remove(name);
        if (client != null) {
            client.shutdown();
        }
        NettyRemotingServer server = SERVERS.remove(name);
        if (server != null) {
            server.shutdown();
        }
    }

    /** Sets what this version has; what it does not have must be meant for another. */
    private static void setProperties(Object bean, JSONObject values) throws Exception {
        if (values == null) {
            return;
        }
        for (String key : values.keySet()) {
            String setter = "set" + Character.toUpperCase(key.charAt(0)) + key.substring(1);
            for (Method method : bean.getClass().getMethods()) {
                if (method.getName().equals(setter)) {
                    method.invoke(bean, values.getObject(key, method.getParameterTypes()[0]));
                }
            }
        }
    }

    private static void setTls(JSONObject values) throws Exception {
        for (String key : values.keySet()) {
            Field field = TlsSystemConfig.class.getField(key);
            field.set(null, field.getType() == TlsMode.class
                ? TlsMode.parse(values.getString(key))
                : values.getObject(key, field.getType()));
        }
    }

    private static JSONObject invoke(NettyRemotingClient client, JSONObject command) throws Exception {
        String address = command.getString("address");
        long timeoutMillis = command.getLongValue("timeoutMillis");
        RemotingCommand request = request(command.getJSONObject("request"));
        long began = System.nanoTime();
        JSONObject result;
        switch (command.getString("op")) {
            case "invokeSync": result = view(client.invokeSync(address, request, timeoutMillis)); break;
            case "invokeAsync": {
                Callback callback = new Callback();
                client.invokeAsync(address, request, timeoutMillis, callback);
                result = view(callback.get());
                break;
            }
            default:
                client.invokeOneway(address, request, timeoutMillis);
                result = new JSONObject();
        }
        result.put("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        return result;
    }

    private static RemotingCommand request(JSONObject from) {
        JSONObject header = from.getJSONObject("header");
        RemotingCommand request =
            RemotingCommand.createRequestCommand(from.getIntValue("code"), header == null ? null : new Header(header));
        JSONObject extFields = from.getJSONObject("extFields");
        if (extFields != null) {
            extFields.keySet().forEach(key -> request.addExtField(key, extFields.getString(key)));
        }
        if (from.getString("remark") != null) {
            request.setRemark(from.getString("remark"));
        }
        if (from.getString("body") != null) {
            request.setBody(from.getString("body").getBytes(StandardCharsets.UTF_8));
        }
        if (from.getInteger("bodyBytes") != null) {
            byte[] body = new byte[from.getIntValue("bodyBytes")];
            for (int i = 0; i < body.length; i++) {
                body[i] = (byte) (i * 31);
            }
            request.setBody(body);
        }
        if (from.getInteger("version") != null) {
            request.setVersion(from.getIntValue("version"));
        }
        if (from.getString("serialize") != null) {
            request.setSerializeTypeCurrentRPC(SerializeType.valueOf(from.getString("serialize")));
        }
        return request;
    }

    private static JSONObject view(RemotingCommand command) throws Exception {
        byte[] body = command.getBody() == null ? new byte[0] : command.getBody();
        JSONObject view = new JSONObject();
        view.put("code", command.getCode());
        view.put("flag", command.getFlag());
        view.put("version", command.getVersion());
        view.put("language", command.getLanguage() == null ? null : command.getLanguage().name());
        view.put("remark", command.getRemark());
        view.put("extFields", command.getExtFields());
        view.put("serialize", command.getSerializeTypeCurrentRPC().name());
        view.put("bodyBytes", body.length);
        view.put("bodySha1", hex(MessageDigest.getInstance("SHA-1").digest(body)));
        if (body.length <= 1024) {
            view.put("body", new String(body, StandardCharsets.UTF_8));
        }
        return view;
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }

    /** How an asynchronous call ended, in the way of each version. */
    public static class Callback implements InvokeCallback {
        private final CompletableFuture<RemotingCommand> ended = new CompletableFuture<>();

        RemotingCommand get() throws Exception {
            try {
                return ended.get(60, TimeUnit.SECONDS);
            } catch (java.util.concurrent.ExecutionException e) {
                throw (Exception) e.getCause();
            }
        }

        public void operationComplete(ResponseFuture future) {
            if (HAS_CALLBACK_RESULTS) {
                return;
            }
            RemotingCommand response = future.getResponseCommand();
            if (response != null) {
                ended.complete(response);
            } else {
                String how = future.isSendRequestOK() ? future.isTimeout() ? "timeout" : "unknown" : "not sent";
                ended.completeExceptionally(new Exception(how, future.getCause()));
            }
        }

        public void operationSucceed(RemotingCommand response) {
            ended.complete(response);
        }

        public void operationFail(Throwable error) {
            ended.completeExceptionally(error instanceof Exception ? (Exception) error : new Exception(error));
        }
    }

    public static class Header implements CommandCustomHeader {
        private String brokerAddr;
        private Long brokerId;
        private String brokerName;
        private String clusterName;

        public Header() {
        }

        Header(JSONObject from) {
            brokerAddr = from.getString("brokerAddr");
            brokerId = from.getLong("brokerId");
            brokerName = from.getString("brokerName");
            clusterName = from.getString("clusterName");
        }

        @Override
        public void checkFields() {
        }
    }

    /** Serves the codes above, in a server or (without one) in a client. */
    public static class Processor implements NettyRequestProcessor {
        private final NettyRemotingServer server;
        private final Verifier verifier;

        Processor(NettyRemotingServer server) {
            this(server, null);
        }

        Processor(NettyRemotingServer server, Verifier verifier) {
            this.server = server;
            this.verifier = verifier;
        }

        @Override
        public RemotingCommand processRequest(ChannelHandlerContext ctx, RemotingCommand request) throws Exception {
            if (request.isOnewayRPC()) {
                JSONObject event = view(request);
                event.put("event", "oneway");
                say(event.toJSONString());
            }
            if (verifier != null) {
                verifier.verify(ctx, request);
            }
            switch (request.getCode()) {
                case FAIL: return RemotingCommand.createResponseCommand(17, "no such topic");
                case THROW: throw new IllegalStateException("boom");
                case SILENT: return null;
                case BLOCK: RELEASES.acquire(); return echo(request);
                case CALL_BACK: return echo(server.invokeSync(ctx.channel(), again(request), 3000));
                case CALL_BACK_ONEWAY: server.invokeOneway(ctx.channel(), again(request), 3000); return echo(request);
                case WHO: return RemotingCommand.createResponseCommand(0, RemotingHelper.parseChannelRemoteAddr(ctx.channel()));
                default: return echo(request);
            }
        }

        @Override
        public boolean rejectRequest() {
            return false;
        }

        private static RemotingCommand echo(RemotingCommand from) {
            RemotingCommand response = RemotingCommand.createResponseCommand(0, from.getRemark());
            response.setExtFields(from.getExtFields());
            response.setBody(from.getBody());
            return response;
        }

        private static RemotingCommand again(RemotingCommand from) {
            RemotingCommand request = RemotingCommand.createRequestCommand(ECHO, null);
            request.setRemark(from.getRemark());
            request.setExtFields(from.getExtFields());
            request.setBody(from.getBody());
            request.setSerializeTypeCurrentRPC(from.getSerializeTypeCurrentRPC());
            return request;
        }
    }

    /** What a broker of this version checks a signature with; 4.x reads its accounts from a file. */
    public static class Verifier {
        private final String accessKey;
        private final String secretKey;
        private final Object verifier;

        Verifier(JSONObject account) throws Exception {
            accessKey = account.getString("accessKey");
            secretKey = account.getString("secretKey");
            Path conf = Path.of(System.getProperty("rocketmq.home.dir"), "conf");
            Files.createDirectories(conf.resolve("acl"));
            Files.writeString(conf.resolve("plain_acl.yml"), String.format(
                "accounts:%n- accessKey: %s%n  secretKey: '%s'%n  admin: true%n", accessKey, secretKey));
            verifier = is4() ? create("org.apache.rocketmq.acl.plain.PlainAccessValidator")
                : create("org.apache.rocketmq.auth.authentication.builder.DefaultAuthenticationContextBuilder");
        }

        private static boolean is4() {
            return MQVersion.CURRENT_VERSION < MQVersion.Version.V5_0_0.ordinal();
        }

        private static Object create(String name) throws Exception {
            return Class.forName(name).getConstructor().newInstance();
        }

        void verify(ChannelHandlerContext ctx, RemotingCommand request) throws Exception {
            try {
                if (is4()) {
                    Object resource = verifier.getClass().getMethod("parse", RemotingCommand.class, String.class)
                        .invoke(verifier, request, "10.0.0.1");
                    verifier.getClass().getMethod("validate", Class.forName("org.apache.rocketmq.acl.AccessResource"))
                        .invoke(verifier, resource);
                    return;
                }
                Object context = verifier.getClass().getMethod("build", ChannelHandlerContext.class, RemotingCommand.class)
                    .invoke(verifier, ctx, request);
                byte[] content = (byte[]) context.getClass().getMethod("getContent").invoke(context);
                Object expected = Class.forName("org.apache.rocketmq.acl.common.AclSigner")
                    .getMethod("calSignature", byte[].class, String.class).invoke(null, content, secretKey);
                if (!accessKey.equals(context.getClass().getMethod("getUsername").invoke(context))
                    || !expected.equals(context.getClass().getMethod("getSignature").invoke(context))) {
                    throw new SecurityException("check signature failed");
                }
            } catch (InvocationTargetException e) {
                throw (Exception) e.getCause();
            }
        }
    }
}
