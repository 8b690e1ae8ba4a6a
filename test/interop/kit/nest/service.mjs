// A Nest service and its caller over the transport of the recipe, which lies beside this file when it runs. Says what happens, and ends.
import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import { firstValueFrom, of } from 'rxjs';
import { RemotingClientProxy, RemotingStrategy } from './transport.js';

const say = (what, value) => process.stdout.write(`${what}: ${JSON.stringify(value)}\n`);

class Orders {
  sum(prices) {
    return prices.reduce((sum, price) => sum + price, 0);
  }

  progress() {
    return of('packed', 'sent');
  }

  refuse() {
    throw new RpcException('no such order');
  }

  noted(note) {
    say('noted', note);
  }
}

// Decorators as plain calls: this file is no TypeScript.
function handle(name, decorator) {
  decorator(Orders.prototype, name, Object.getOwnPropertyDescriptor(Orders.prototype, name));
  Payload()(Orders.prototype, name, 0);
}
handle('sum', MessagePattern({ cmd: 'sum' }));
handle('progress', MessagePattern('progress'));
handle('refuse', MessagePattern('refuse'));
handle('noted', EventPattern('noted'));
Controller()(Orders);

class App {}
Module({ controllers: [Orders] })(App);

const port = Number(process.argv[2]);
const strategy = new RemotingStrategy(port);
const app = await NestFactory.createMicroservice(App, { strategy, logger: ['error', 'warn'] });
await app.listen();
const proxy = new RemotingClientProxy(`127.0.0.1:${port}`);
const ask = (pattern, data) =>
  firstValueFrom(proxy.send(pattern, data), { defaultValue: null }).catch(({ responseCode, remark }) => ({
    responseCode,
    remark,
  }));
await firstValueFrom(proxy.emit('noted', { id: 7 }), { defaultValue: null });
say('sum', await ask({ cmd: 'sum' }, [1, 2, 3]));
say('progress', await ask('progress', {}));
say('refuse', await ask('refuse', {}));
say('unknown', await ask('unknown', {}));
await proxy.close();
await app.close();
