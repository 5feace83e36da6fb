import { test } from 'vitest'
import { rotateWhileDelivering } from './secret-rotation.suite.ts'

test('a secret is replaced while 200 events are sent, and a receiver with either secret accepts all of them', () =>
  rotateWhileDelivering(4_000))
