import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Properties;
import java.util.TreeSet;

/**
 * Reads texts with java.util.Properties, one a line: "bytes BASE64" as Properties.load(InputStream) does, "text BASE64" (UTF-16BE) as
 * load(Reader) does. Answers one line each: "error", or the entries sorted by key, as base64 of UTF-16BE: "key=value,key=value".
 */
public class PropertiesPeer {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            byte[] bytes = Base64.getDecoder().decode(words[1]);
            Properties properties = new Properties();
            try {
                if (words[0].equals("bytes")) properties.load(new ByteArrayInputStream(bytes));
                else properties.load(new StringReader(decode(bytes)));
            } catch (IllegalArgumentException e) {
                System.out.println("error");
                continue;
            }
            StringBuilder answer = new StringBuilder();
            for (String key : new TreeSet<>(properties.stringPropertyNames())) {
                if (answer.length() > 0) answer.append(',');
                answer.append(encode(key)).append('=').append(encode(properties.getProperty(key)));
            }
            System.out.println("entries " + answer);
        }
    }

    // Not by the charset, which replaces half a surrogate pair.
    private static String decode(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i + 1 < bytes.length; i += 2) text.append((char) ((bytes[i] & 0xff) << 8 | bytes[i + 1] & 0xff));
        return text.toString();
    }

    private static String encode(String text) {
        byte[] bytes = new byte[text.length() * 2];
        for (int i = 0; i < text.length(); i++) {
            bytes[2 * i] = (byte) (text.charAt(i) >> 8);
            bytes[2 * i + 1] = (byte) text.charAt(i);
        }
        return Base64.getEncoder().encodeToString(bytes).replace("=", "");
    }
}
