import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.rocketmq.tools.command.MQAdminStartup;

/**
 * Runs many mqadmin commands in one JVM, which saves the two seconds that each takes to start.
 *
 * <pre>apache admin VERSION</pre>
 *
 * One command a line of stdin, its arguments separated by tabs; an empty one lists the commands. For each, what it printed on stdout and stderr comes out, then a line
 * that holds {@code END} alone. Commands that end the JVM (wrong options, help) are not for this program.
 */
public class AdminShell {
    private static final String END = "\u0004END";

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            PrintStream capture = new PrintStream(printed, true, "UTF-8");
            System.setOut(capture);
            System.setErr(capture);
            try {
                MQAdminStartup.main0(line.isEmpty() ? new String[0] : line.split("\t"), null);
            } catch (Throwable e) {
                e.printStackTrace(capture);
            }
            capture.flush();
            out.print(printed.toString("UTF-8"));
            out.print("\n" + END + "\n");
            out.flush();
        }
        Runtime.getRuntime().halt(0); // clients of some commands leave threads running
    }
}
