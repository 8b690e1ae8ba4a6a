import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventRecorder } from '../../src/event-recorder.js';
import { KvConfigManager } from '../../src/kvconfig/kv-config-manager.js';
import type { NamesrvEvent } from '../../src/namesrv-event.js';

describe('KvConfigManager', () => {
  it('an entry that was put is found, alone and in its namespace, and replaced by the next', () => {
    const kv = new KvConfigManager();
    kv.putKvConfig('ORDER_TOPIC_CONFIG', 'T1', 'broker-a:4');
    kv.putKvConfig('ORDER_TOPIC_CONFIG', 'T2', 'broker-a:8');
    kv.putKvConfig('ORDER_TOPIC_CONFIG', 'T1', 'broker-b:4');
    expect(kv.getKvConfig('ORDER_TOPIC_CONFIG', 'T1')).to.equal('broker-b:4');
    expect(kv.getKvListByNamespace('ORDER_TOPIC_CONFIG')).to.deep.equal(
      new Map([
        ['T1', 'broker-b:4'],
        ['T2', 'broker-a:8'],
      ]),
    );
  });

  it('what is not there is undefined: namespace, key, and names that every object has', () => {
    const kv = new KvConfigManager();
    kv.putKvConfig('N', 'k', 'v');
    expect(kv.getKvConfig('X', 'k')).to.equal(undefined);
    expect(kv.getKvConfig('N', 'x')).to.equal(undefined);
    expect(kv.getKvConfig('__proto__', 'toString')).to.equal(undefined);
    expect(kv.getKvListByNamespace('constructor')).to.equal(undefined);
  });

  it('10.3 rows 18 and 19: a namespace that lost its last key is empty, one that never was is absent', () => {
    const kv = new KvConfigManager();
    expect(kv.getKvListByNamespace('N')).to.equal(undefined);
    kv.putKvConfig('N', 'k', 'v');
    expect(kv.deleteKvConfig('N', 'k')).to.equal(true);
    expect(kv.getKvListByNamespace('N')).to.deep.equal(new Map());
    expect(kv.deleteKvConfig('N', 'k')).to.equal(false);
    expect(kv.deleteKvConfig('X', 'k')).to.equal(false);
    expect(kv.getKvListByNamespace('X')).to.equal(undefined);
  });

  it('a null value hides the key and leaves the namespace', () => {
    const kv = new KvConfigManager();
    kv.putKvConfig('N', 'k', 'v');
    kv.putKvConfig('N', 'k', null);
    expect(kv.getKvConfig('N', 'k')).to.equal(undefined);
    kv.putKvConfig('M', 'k', null);
    expect(kv.getKvListByNamespace('M')).to.deep.equal(new Map());
  });

  it('an empty text is a value', () => {
    const kv = new KvConfigManager();
    kv.putKvConfig('', '', '');
    expect(kv.getKvConfig('', '')).to.equal('');
  });

  it('what was stored is merged, with its empty namespaces', () => {
    const kv = new KvConfigManager();
    kv.putKvConfig('N', 'a', '1');
    kv.load(
      new Map([
        ['N', new Map([['b', '2']])],
        ['M', new Map()],
      ]),
    );
    expect(kv.configTable).to.deep.equal(
      new Map([
        [
          'N',
          new Map([
            ['a', '1'],
            ['b', '2'],
          ]),
        ],
        ['M', new Map()],
      ]),
    );
  });

  it('each change is an event, anything else is none', () => {
    const events: NamesrvEvent[] = [];
    const kv = new KvConfigManager({ events: new EventRecorder((event) => events.push(event)) });
    kv.load(new Map([['N', new Map([['old', '0']])]]));
    kv.putKvConfig('N', 'k', 'v');
    kv.putKvConfig('N', 'k', 'v');
    kv.putKvConfig('N', 'k', 'w');
    kv.deleteKvConfig('N', 'k');
    kv.deleteKvConfig('N', 'k');
    const of = { type: 'kv.changed', namespace: 'N', key: 'k' };
    expect(events).to.deep.equal([
      { ...of, cause: 'put-kv', before: undefined, after: 'v', revision: 1 },
      { ...of, cause: 'put-kv', before: 'v', after: 'w', revision: 2 },
      { ...of, cause: 'delete-kv', before: 'w', revision: 3 },
    ]);
  });
});
