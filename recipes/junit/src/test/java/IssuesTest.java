import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Stithy.class)
class IssuesTest {
  // The seed made issues 1 to 4. What is tested gets stithy.url and stithy.token.
  private static void isTheFifth(Stithy.Server stithy, String title) throws Exception {
    String issue = stithy.call("POST", "/api/v4/projects/acme%2Fweb/issues", "{\"title\": \"" + title + "\"}");
    assertTrue(issue.contains("\"iid\":5,"), issue);
  }

  @Test
  void anIssue(Stithy.Server stithy) throws Exception {
    isTheFifth(stithy, "Broken");
  }

  @Test
  void anotherIssue(Stithy.Server stithy) throws Exception {
    isTheFifth(stithy, "Broken again");
  }
}
