import { apacheVersions, useApache } from '@rmqns/test-kit';
import { describeGoAway } from './go-away.js';
import { describeJavaClient } from './java-client.js';
import { JavaRemoting } from './java-remoting.js';
import { describeJavaServer } from './java-server.js';
import { describeProxyProtocol } from './proxy-protocol.js';
import { describeSigning } from './signing.js';
import { describeTls } from './tls.js';

for (const version of apacheVersions) {
  describe(`Java's remoting of ${version}`, () => {
    const apache = useApache(version);
    let java: JavaRemoting;

    before(async () => {
      java = await JavaRemoting.start(apache, version);
    });

    describeJavaClient(() => java, version);
    describeJavaServer(() => java, version);
    describeProxyProtocol(() => java, version);
    describeSigning(() => java, version);
    describeTls(() => java, version);
    describeGoAway(() => java, version);
  });
}
