import { test } from 'vitest'
import { rotateUnderLoad } from './keys.suite.ts'

test('secrets rotate while 250 payments are made leaves nothing unreadable', () =>
  rotateUnderLoad({ merchants: 130, payments: 250, late: 20 }))
