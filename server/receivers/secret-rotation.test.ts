import { test } from 'vitest'
import { rotateWhileDelivering } from './secret-rotation.suite.ts'

/** `npm run test:long` runs more. */
test('a secret is replaced while up to 50 events a second are sent, and a receiver with either secret accepts all of them', () =>
  rotateWhileDelivering(1_000))
