import { CallingConnection } from './calling-connection.mjs';
import { RegistrationBody } from './registration-body.mjs';
import { brokerFields, Code, registrationHead, requestFrame } from './requests.mjs';
import { brokerName } from './topology.mjs';

/** The brokers of a topology, each with a connection of its own, which holds what it registered. */
export class Fleet {
  #brokers = [];

  constructor(port, topology, { compressed = false } = {}) {
    this.port = port;
    this.topology = topology;
    this.compressed = compressed;
  }

  /** Connects all brokers and makes their bodies. */
  async connect() {
    const { firstBroker, brokers } = this.topology;
    for (let number = firstBroker; number < firstBroker + brokers; number++)
      this.#brokers.push(await this.#connect(number));
  }

  async registerAll() {
    for (const broker of this.#brokers) await this.#send(broker);
  }

  get size() {
    return this.#brokers.length;
  }

  /** The body that a broker sends next, to be changed or stamped anew before. */
  bodyOf(index) {
    return this.#brokers[index].body;
  }

  /** @throws Error when the answer is not success */
  register(index) {
    return this.#send(this.#brokers[index]);
  }

  async unregister(index) {
    const { connection, number } = this.#brokers[index];
    const fields = brokerFields(number);
    const head = requestFrame({ code: Code.UNREGISTER_BROKER, version: this.topology.version, fields });
    const { code } = await connection.call(head);
    if (code !== 0) throw new Error(`${brokerName(number)} could not unregister: ${code}`);
  }

  close() {
    for (const { connection } of this.#brokers) connection.close();
    this.#brokers = [];
  }

  async #connect(number) {
    const connection = await CallingConnection.open(this.port);
    const { topology, compressed } = this;
    return {
      number,
      connection,
      body: new RegistrationBody({ topology, names: topology.topicsOf(number), compressed }),
    };
  }

  async #send({ number, connection, body }) {
    const { code, body: answer } = await connection.call(registrationHead(this.topology, number, body), body.bytes);
    if (code !== 0) throw new Error(`${brokerName(number)} could not register: ${code} ${answer}`);
  }
}
