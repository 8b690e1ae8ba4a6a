import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, EventPattern, MessagePattern, Transport } from '@nestjs/microservices';
import { freePort } from '../../harness/free-port.mjs';

/** NestJS's TCP transporter: a controller with message patterns; texts, as its bodies are JSON. */
export const traits = {
  packages: ['@nestjs/microservices', '@nestjs/core', '@nestjs/common'],
  carries: 'text',
  oneway: true,
  tls: true,
};

export async function listen({ methods, tls }) {
  // What the decorators of a TypeScript source would do.
  class BenchController {}
  const decorate = (name, decorator) => {
    BenchController.prototype[name] = (payload) => methods[name](payload);
    decorator(BenchController.prototype, name, Object.getOwnPropertyDescriptor(BenchController.prototype, name));
  };
  for (const name of Object.keys(methods)) {
    decorate(name, name === 'count' ? EventPattern(name) : MessagePattern(name));
  }
  Controller()(BenchController);
  class BenchModule {}
  Module({ controllers: [BenchController] })(BenchModule);
  const port = await freePort();
  const app = await NestFactory.createMicroservice(BenchModule, {
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port, ...(tls === undefined ? {} : { tlsOptions: tls }) },
    logger: false,
  });
  await app.listen();
  return { port };
}

export async function connect({ port, tls }) {
  const tlsOptions = tls === undefined ? {} : { tlsOptions: { ca: tls.cert, servername: 'localhost' } };
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port, ...tlsOptions },
  });
  await client.connect();
  return {
    call(method, payload, done) {
      client
        .send(method, payload)
        .subscribe({ next: (answer) => done(undefined, answer), error: (error) => done(error) });
    },
    oneway(method, payload) {
      client.emit(method, payload);
    },
    close: () => client.close(),
  };
}
