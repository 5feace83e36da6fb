/** Drawing a QR code takes milliseconds, so the same code is drawn once, however often somebody asks for its page. */
import { expect, test } from 'vitest'
import { addressCode } from './qr-code.ts'

test('a code is drawn once, and the last 500 are kept', () => {
  const first = addressCode('first')
  for (let number = 0; number < 499; number++) addressCode(`other ${number}`)
  // Asked for again, it counts as new.
  expect(addressCode('first')).toBe(first)
  const second = addressCode('other 0')
  addressCode('one more')
  expect(addressCode('first')).toBe(first)
  expect(addressCode('other 0')).toBe(second)
  for (let number = 0; number < 500; number++) addressCode(`later ${number}`)
  expect(addressCode('first')).not.toBe(first)
  expect(addressCode('first')).toEqual(first)
})
