/** Tests made from the table of lists: each command shows its columns and names its items, to those roles that may see them. */
import { expect, test } from 'vitest'
import { addUser } from '../access/users.ts'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { bookOrder, openScene } from '../testing/acts/scene.ts'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import { fieldOf } from './input.ts'
import { LIST_ROWS } from './lists/all.ts'
import { POLICY } from './policies.ts'

const ROLES = ['administrator', 'operator', 'viewer'] as const

const keys = new Map<string, string>()
const kassa = await openKassa()
const scene = await openScene(kassa)
// Something of each kind.
await scene.undecided()
await scene.stuckReceipt()
await scene.subscription()
await scene.failedMail()
await scene.addressToReview()
await scene.shortAddress()
await scene.origin()
await scene.installation()
const merchantId = scene.merchantId
await bookOrder(kassa.ctx, scene.merchantId)
// Of the only shop with an order book.
await setCallback(kassa.ctx, scene.merchantId, ORDER_BOOK_URL)
for (const role of ROLES) {
  const { key } = await addUser(kassa.ctx, { name: `The ${role}`, role })
  keys.set(role, key ?? '')
}

const run = async (role: string, words: string[]) => {
  const key = keys.get(role) ?? ''
  const { code, stdout } = await operateHere(async () => kassa.ctx, words, { key })
  return { code, stdout }
}

test.each(LIST_ROWS.map((row) => [row.name, row] as const))('%s', async (name, row) => {
  const isOfOne = Object.values(row.filters).some((schema) => fieldOf(schema).kind === 'shop')
  const words = [...name.split(' '), ...(isOfOne ? ['--merchant', merchantId] : [])]
  const { stdout } = await run('administrator', [...words, '--json'])
  const { ok, [row.items]: items, ...rest } = JSON.parse(stdout)
  expect([ok, 'next' in rest]).toEqual([true, row.cut === 'pages'])
  // Nobody has proposed anything here.
  expect(items.length > 0).toBe(name !== 'approval list')
  const { stdout: text } = await run('administrator', words)
  expect(text.split('\n').length).toBeGreaterThan(items.length)
  for (const role of ROLES) {
    const { code } = await run(role, words)
    const isAllowed = (POLICY[row.needs].roles as readonly string[]).includes(role)
    expect([role, code === 0]).toEqual([role, isAllowed])
  }
})

test('the log is cut by real time, however far the sandbox is ahead', async () => {
  kassa.clock.offsetMs += 30 * 86_400_000
  const { stdout } = await run('viewer', ['audit', 'list', '--since', '1h', '--json'])
  expect(JSON.parse(stdout).rows.length).toBeGreaterThan(0)
})
