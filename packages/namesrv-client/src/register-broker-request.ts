import {
  bodyCrc32,
  encodeRegisterBrokerBody,
  MqVersion,
  RegisterBroker,
  type TopicConfigSerializeWrapper,
} from '@rmqns/protocol';
import { encodeHeader, RemotingCommand } from '@rmqns/remoting';
import type { BrokerIdentity } from './broker-identity.js';

/** What a broker registers, and in which form. */
export interface BrokerRegistration {
  readonly identity: BrokerIdentity;
  readonly topicConfigSerializeWrapper: TopicConfigSerializeWrapper;
  /** Default none. Null leaves what the name server has, when the body is compressed; as JSON it reads as none. */
  readonly filterServerList?: readonly string[] | null | undefined;
  /** Whether the body is deflated, which loses `order` and `topicSysFlag` of topics. Default false. */
  readonly compressed?: boolean | undefined;
  /** As a 5.x broker; default false. All name servers read what comes of it, but for static topics compressed, which those of 4.x refuse. */
  readonly fiveX?: boolean | undefined;
}

/**
 * A REGISTER_BROKER request whose body and checksum are made once, to be sent to any number of name servers.
 *
 * The header says truthfully whether the body is compressed, and the request's version fits the body's layout, since 5.x name servers
 * read compressed bodies by it (reference: broker-registration 2.6.2). A compressed body has the layout of 4.x, which every name server
 * reads, for as long as there are no static topics, which only that of 5.x can hold.
 */
export class RegisterBrokerRequest {
  readonly registration: BrokerRegistration;
  /** As sent, compressed or not. */
  readonly body: Uint8Array;
  readonly bodyCrc32: number;
  /** MQVersion ordinal of the release whose layout the body has. */
  readonly version: number;

  /** @throws RemotingError `ENCODE_FAILED` when a topic cannot be written compressed */
  constructor(registration: BrokerRegistration) {
    const { topicConfigSerializeWrapper, filterServerList = [], compressed = false, fiveX = false } = registration;
    const fiveXLayout = fiveX && (!compressed || topicConfigSerializeWrapper.topicQueueMappingInfoMap.size > 0);
    this.registration = registration;
    this.body = encodeRegisterBrokerBody(
      { topicConfigSerializeWrapper, filterServerList },
      { compressed, fiveX: fiveXLayout },
    );
    this.bodyCrc32 = bodyCrc32(this.body);
    this.version = fiveXLayout ? MqVersion.V5_3_3 : MqVersion.V4_9_7;
  }

  /** A fresh command over the same body. */
  toCommand(): RemotingCommand {
    const { identity, compressed = false } = this.registration;
    const header = { ...identity, compressed, bodyCrc32: this.bodyCrc32, __ZONE_NAME: identity.zoneName };
    return RemotingCommand.request(RegisterBroker.code, {
      extFields: encodeHeader(RegisterBroker.request, header),
      body: this.body,
      version: this.version,
    });
  }
}
