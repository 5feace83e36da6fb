/** Decorators as plain calls, because these files run as they are. */
import { Injectable } from '@nestjs/common'

/** `parts`: the classes whose instances the constructor gets. */
export function wants(target, ...parts) {
  Reflect.defineMetadata('design:paramtypes', parts, target)
}

export function injectable(target, ...parts) {
  wants(target, ...parts)
  Injectable()(target)
}

/** Applies a decorator of methods. */
export function onMethod(target, name, ...decorators) {
  for (const decorate of decorators)
    decorate(target.prototype, name, Object.getOwnPropertyDescriptor(target.prototype, name))
}

/** Applies decorators of parameters, in their order. */
export function onParameters(target, name, types, ...decorators) {
  Reflect.defineMetadata('design:paramtypes', types, target.prototype, name)
  for (const [index, decorate] of decorators.entries()) decorate(target.prototype, name, index)
}
