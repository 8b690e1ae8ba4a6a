/**
 * The KV namespace of ordered topics: topic to `brokerA:4;brokerB:4`. A registration is answered with all of it
 * (upstream: `NamesrvUtil.NAMESPACE_ORDER_TOPIC_CONFIG`; reference: nameserver 2.5 and 4).
 */
export const ORDER_TOPIC_CONFIG = 'ORDER_TOPIC_CONFIG';
