import { type NamesrvOptions, resolveNamesrvOptions } from '@rmqns/namesrv';
import { expect } from 'chai';
import type { NamesrvConfig } from '../src/namesrv-config.js';
import { ConfigReload } from '../src/reload-config.js';

describe('the configuration that is read again', () => {
  function make(started: NamesrvOptions) {
    const said: string[] = [];
    const say = (_fields: object, message: string): void => void said.push(message);
    const logger = { level: 'info', info: say, warn: say, error: say };
    let running = resolveNamesrvOptions(started);
    const change = (options: NamesrvOptions): void => {
      running = { ...running, ...resolveNamesrvOptions({ ...running, ...options }) };
    };
    let next: () => NamesrvConfig = () => expect.fail();
    const reload = new ConfigReload({
      load: () => next(),
      started: running,
      running: () => running,
      change,
      logger,
    });
    return {
      change,
      running: () => running,
      logger,
      /** What is said of sources that hold these options. */
      read: (options: NamesrvOptions, warnings: readonly string[] = []): string[] => {
        next = () => ({ options: resolveNamesrvOptions(options), warnings }) as unknown as NamesrvConfig;
        said.length = 0;
        reload.reload();
        return [...said];
      },
      fail: (): string[] => {
        next = () => {
          throw new Error('line 1: no');
        };
        said.length = 0;
        reload.reload();
        return [...said];
      },
    };
  }

  const SAME = 'the configuration was read again: the log level stays info';

  it('says that nothing changed', () => {
    expect(make({ listenPort: 1 }).read({ listenPort: 1 })).to.deep.equal([SAME]);
  });

  it('has what can take effect at once do so, and names the rest until the restart', () => {
    const { read, running, logger } = make({ enableTopicList: true });
    const said = read({ enableTopicList: false, maxFrameBytes: 2_048, serverWorkerThreads: 3, logLevel: 'warn' });
    expect(said).to.deep.equal([
      'the configuration was read again: the log level was info and is warn; in effect now: enableTopicList; a restart is needed for maxFrameBytes',
    ]);
    expect([running().enableTopicList, logger.level]).to.deep.equal([false, 'warn']);
    expect(read({ maxFrameBytes: 2_048 })).to.deep.equal([
      'the configuration was read again: the log level was warn and is info; in effect now: enableTopicList; a restart is needed for maxFrameBytes',
    ]);
    expect(running().enableTopicList).to.equal(true);
  });

  it('leaves certificates to those who follow them', () => {
    const said = make({}).read({ 'tls.server.certPath': '/c', 'tls.server.mode': 'enforcing' });
    expect(said).to.deep.equal([`${SAME}; a restart is needed for tls.server.mode`]);
  });

  it('leaves what a request set meanwhile and no source says otherwise', () => {
    const { read, running, change } = make({ orderMessageEnable: false });
    change({ orderMessageEnable: true });
    expect(read({ orderMessageEnable: false })).to.deep.equal([SAME]);
    expect(running().orderMessageEnable).to.equal(true);
    // The request wrote it to the file.
    expect(read({ orderMessageEnable: true })).to.deep.equal([SAME]);
    expect(read({ orderMessageEnable: false })).to.deep.equal([`${SAME}; in effect now: orderMessageEnable`]);
    expect(running().orderMessageEnable).to.equal(false);
  });

  it('is not taken where it has mistakes, and warns of the rest', () => {
    const { read, fail } = make({});
    expect(fail()).to.deep.equal(['the configuration was read again and is not taken: line 1: no']);
    expect(read({}, ['a.properties:1:1 x: there is no such key'])).to.deep.equal([
      'a.properties:1:1 x: there is no such key',
      SAME,
    ]);
  });
});
