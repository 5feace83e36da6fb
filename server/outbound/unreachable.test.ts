import { expect, test } from 'vitest'
import { createUnreachable } from './unreachable.ts'

const [first, second, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => ({
  address,
  family: 4,
}))
if (!first || !second || !third) throw new Error('three addresses')
const all = [first, second, third]

test('an address that could not be reached is tried last for five minutes, and earlier if it is reached again', () => {
  let nowMs = 0
  const unreachable = createUnreachable(() => nowMs)
  unreachable.add('shop.example', first)
  unreachable.add('shop.example', second)
  expect(unreachable.last('shop.example', all)).toEqual([third, first, second])
  unreachable.noteReached('shop.example', second, [second])
  expect(unreachable.last('shop.example', all)).toEqual([second, third, first])
  nowMs = 5 * 60_000
  expect(unreachable.last('shop.example', all)).toEqual(all)
})

test('if no address could be reached, all are tried in their order', () => {
  const unreachable = createUnreachable()
  for (const address of all) unreachable.add('shop.example', address)
  expect(unreachable.last('shop.example', all)).toEqual(all)
})

test('one host does not change the order of another host with the same addresses', () => {
  const unreachable = createUnreachable()
  unreachable.add('hostile.example', first)
  expect(unreachable.last('shop.example', all)).toEqual(all)
})

test('at most 1,000 addresses are remembered, the newest', () => {
  const unreachable = createUnreachable()
  for (let host = 0; host < 5_000; host++) unreachable.add(`${host}.example`, first)
  expect(unreachable.size()).toBe(1_000)
  expect(unreachable.last('4999.example', all)).toEqual([second, third, first])
  expect(unreachable.last('1.example', all)).toEqual(all)
})
