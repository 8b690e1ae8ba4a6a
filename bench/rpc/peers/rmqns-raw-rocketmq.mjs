import { SerializeType } from '@rmqns/remoting';
import { rmqns } from './rmqns.mjs';

export const { traits, listen, connect } = rmqns({ serializeType: SerializeType.ROCKETMQ });
