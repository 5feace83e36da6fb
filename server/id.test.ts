import { describe, expect, test } from 'vitest'
import {
  ID_BODY,
  NO_MERCHANT,
  newId,
  newMerchantId,
  newSharedId,
  oldestId,
  referenceOf,
  slotOf,
} from './id.ts'

const NOW = new Date('2026-11-23T18:00:00Z')
const MERCHANT = newMerchantId(NOW)

test('an id has the slot of its merchant between its time and 120 random bits', () => {
  const id = newId('sandbox', 'pay', MERCHANT, NOW)
  expect(id).toMatch(new RegExp(`^pay_test_${ID_BODY}$`))
  expect(id).toHaveLength('pay_test_'.length + 36)
  expect(id.slice('pay_test_'.length).slice(10, 12)).toBe(slotOf(MERCHANT))
  // Providers limit the length of a reference, so the slot is no part of it.
  expect(id.endsWith(slotOf(MERCHANT) + referenceOf(id))).toBe(true)
  expect(referenceOf(id)).toHaveLength(24)
})

test('merchants draw every slot but 0, which belongs to nobody', () => {
  const drawn = new Set(Array.from({ length: 20_000 }, () => slotOf(newMerchantId(NOW))))
  expect(drawn).toHaveLength(1023)
  expect(drawn).not.toContain(slotOf(NO_MERCHANT))
  expect(
    newSharedId('req', NOW)
      .slice('req_'.length + 10)
      .slice(0, 2),
  ).toBe('00')
})

test('no id is made for a text that is not the id of a merchant', () => {
  for (const wrong of ['', 'mer_1', newId('live', 'pay', MERCHANT, NOW), MERCHANT.slice(0, -1)])
    expect(() => newId('live', 'evt', wrong, NOW)).toThrow(/is not the id of a merchant/)
})

describe('whatever their slots are', () => {
  const times = Array.from({ length: 300 }, (_, index) => new Date(NOW.getTime() + index * 7))

  test('ids sort by time', () => {
    const ids = times.map((at) => newId('live', 'evt', newMerchantId(at), at))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids)).toHaveLength(ids.length)
  })

  test('a bound in time separates the ids before it from all others', () => {
    for (const at of times) {
      const bound = oldestId('live', 'evt', at)
      const before = new Date(at.getTime() - 1)
      expect(newId('live', 'evt', newMerchantId(at), at) > bound).toBe(true)
      expect(newId('live', 'evt', newMerchantId(at), before) < bound).toBe(true)
    }
  })
})
