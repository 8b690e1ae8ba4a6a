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
  /** As a 5.x broker; default false. Name servers of 4.x refuse compressed 5.x bodies, uncompressed ones are read by all. */
  readonly fiveX?: boolean | undefined;
}

/**
 * A REGISTER_BROKER request whose body and checksum are made once, to be sent to any number of name servers.
 *
 * The header says truthfully whether the body is compressed, and the request's version fits the body's layout, since 5.x name servers
 * read compressed bodies by it (reference: broker-registration 2.6.2).
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
    this.registration = registration;
    this.body = encodeRegisterBrokerBody({ topicConfigSerializeWrapper, filterServerList }, { compressed, fiveX });
    this.bodyCrc32 = bodyCrc32(this.body);
    this.version = fiveX ? MqVersion.V5_3_3 : MqVersion.V4_9_7;
  }

  /** A fresh command over the same body. */
  toCommand(): RemotingCommand {
    const { identity, compressed = false } = this.registration;
    const header = { ...identity, compressed, bodyCrc32: this.bodyCrc32 };
    return RemotingCommand.request(RegisterBroker.code, {
      extFields: encodeHeader(RegisterBroker.request, header),
      body: this.body,
      version: this.version,
    });
  }
}
