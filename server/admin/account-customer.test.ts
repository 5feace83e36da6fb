import { expect, test } from 'vitest'
import { createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'

const kassa = await openKassa()

const run = (...args: string[]) => operateHere(async () => kassa.ctx, args)
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

test('a merchant gets an account of its own at the simulated bank, and a wrong secret is found by the test', async () => {
  const { merchantId, ...shop } = await openShop(kassa.ctx)
  const { secret } = await json('account', 'customer', '--customer', 'shop-7')
  const set = ['account', 'set', '--merchant', merchantId, '--route', 'route_a', '--driver', 'sandbox']
  const own = await json(...set, '--set', 'CUSTOMER=shop-7', '--set', `SECRET=${secret}`)
  expect(await json('account', 'test', '--account', own.accountId)).toMatchObject({ works: true })
  const { body } = await createSession(kassa.url, { merchantId, ...shop }, { body: sessionRequest() })
  expect(body.providerCheckoutUrl).toContain('/shop-7/')
  await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
  expect(await json('payment', 'show', '--payment', body.id)).toMatchObject({ payment: { status: 'paid' } })
  await json('account', 'rotate', '--account', own.accountId, '--set', `SECRET=${secret.slice(0, -1)}`)
  const tested = await run('account', 'test', '--account', own.accountId, '--json')
  expect(JSON.parse(tested.stdout || tested.stderr)).toMatchObject({ works: false })
})

test('a name that the bank does not take is rejected with the rule', async () => {
  expect((await run('account', 'customer', '--customer', 'no spaces')).stderr).toContain('1 to 64 letters')
})
