/** Commands that work across merchants, and flags that operators leave out or give several values. */
import { expect, test } from 'vitest'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'

const kassa = await openKassa()
const shops = [await openShop(kassa.ctx), await openShop(kassa.ctx)]

async function runCommand(...args: string[]) {
  const { code, stdout } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  return { code, answer: JSON.parse(stdout) }
}
const idOf = (index: number) => shops[index]?.merchantId ?? ''

test('token list and product list show every merchant’s, or one merchant’s', async () => {
  for (const noun of ['token', 'product'] as const) {
    const all = (await runCommand(noun, 'list')).answer[`${noun}s`] as { merchantId: string }[]
    const owners = new Set(all.map(({ merchantId }) => merchantId))
    expect([...owners]).toEqual(expect.arrayContaining([idOf(0), idOf(1)]))
    const own = (await runCommand(noun, 'list', '--merchant', idOf(0))).answer[`${noun}s`] as {
      merchantId: string
    }[]
    expect(new Set(own.map(({ merchantId }) => merchantId))).toEqual(new Set([idOf(0)]))
  }
})

test('--scope takes several values at once, and may be repeated', async () => {
  const scopes = ['payments.read', 'payments.write', 'tokens.write']
  const once = await runCommand('token', 'issue', '--merchant', idOf(0), '--scope', ...scopes)
  expect([once.code, once.answer.scopes]).toEqual([0, scopes])
  const repeated = scopes.flatMap((scope) => ['--scope', scope])
  expect((await runCommand('token', 'issue', ...repeated, '--merchant', idOf(0))).answer.scopes).toEqual(
    scopes,
  )
})

test('merchant show has the steps of the onboarding', async () => {
  const { answer } = await runCommand('merchant', 'show', '--merchant', idOf(0))
  expect(answer.onboarding).toEqual({
    complete: false,
    done: [],
    open: ['domain_reviewed', 'callback_verified', 'test_payment'],
  })
  const { stdout } = await operateHere(async () => kassa.ctx, ['merchant', 'show', '--merchant', idOf(0)])
  expect(stdout).toContain('open  The domain is reviewed')
})

test('resolve works without --why', async () => {
  const body = sessionRequest({ provider: 'manual' })
  const { body: payment } = await createSession(kassa.url, shops[0] as Shop, { body })
  const resolved = await runCommand('payment', 'resolve', '--payment', payment.id, '--as', 'cancelled')
  expect([resolved.code, resolved.answer.payment?.status ?? resolved.answer.status]).toEqual([0, 'cancelled'])
  for (const noun of ['operation', 'receipt'])
    expect((await runCommand(noun, 'resolve', `--${noun}`, 'x', '--as', 'failed')).answer.error.code).toBe(
      'not_found',
    )
})
