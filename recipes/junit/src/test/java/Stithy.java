import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A server for all tests, as the seed made it at the beginning of each: {@code @ExtendWith(Stithy.class)}. */
public class Stithy implements BeforeEachCallback, ParameterResolver {
  private static final String[] SERVE = {
    "stithy", "serve", "--ephemeral", "--bench", "--port", "0", "--seed", "stithy.seed.yml", "--json", "--log-level", "error"
  };

  /** A running server. JUnit closes it after the last test. */
  public static class Server implements AutoCloseable {
    public final String url;
    public final String token;
    private final Process process;

    Server() {
      try {
        process = new ProcessBuilder(SERVE).redirectError(Redirect.INHERIT).start();
        String ready = process.inputReader().readLine();
        if (ready == null) throw new IllegalStateException("stithy did not start");
        url = member(ready, "url");
        token = member(ready, "token");
      } catch (IOException error) {
        throw new IllegalStateException("stithy cannot be run", error);
      }
    }

    private static String member(String json, String name) {
      Matcher member = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
      if (!member.find()) throw new IllegalStateException(json);
      return member.group(1);
    }

    /** Calls the API. Gives the answer's body. */
    public String call(String method, String path, String body) throws IOException, InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url + path))
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .header("PRIVATE-TOKEN", token)
              .header("Content-Type", "application/json")
              .build();
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 400) throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
      return answer.body();
    }

    @Override
    public void close() throws InterruptedException {
      process.destroy();
      process.waitFor();
    }
  }

  private static Server serverOf(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(Stithy.class))
        .getOrComputeIfAbsent(Server.class, type -> new Server(), Server.class);
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    serverOf(context).call("POST", "/-/bench/reset", "");
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Server.class;
  }

  @Override
  public Server resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return serverOf(context);
  }
}
