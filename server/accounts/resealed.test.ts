/** `secrets rotate` encrypts the credentials of accounts with the newest key. Payments continue meanwhile. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { rotateSecrets } from '../operator/rotate-secrets.ts'
import { createVault, keyIdOf } from '../secrets/vault.ts'
import { createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop, SECRETS_KEY } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'
import { findAccount } from './choice.ts'
import { openDirectory } from './directory.ts'
import { rotateAccount, setAccount } from './set.ts'

/** More accounts than one batch of a rotation. */
const ACCOUNTS = 120
const NEW_KEY = randomBytes(32).toString('base64')

const kassa = await openKassa()
const { ctx } = kassa
const shop = await openShop(ctx)

const set = (CUSTOMER: string, SECRET: string) =>
  setAccount(ctx, {
    merchantId: shop.merchantId,
    route: 'route_a',
    driver: 'sandbox',
    currencies: undefined,
    written: { CUSTOMER, SECRET },
  })
const countByKey = async () =>
  (
    await ctx.db.query(
      'select key_id as key, count(*)::int as count from sandbox.account_credentials group by 1',
    )
  ).rows

async function pay(order: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: order, provider: 'route_a' })
  const created = (await createSession(kassa.url, shop, { key: order, body })).body
  await payAtBank(created.providerCheckoutUrl, 'paid')
  return (await lookUp(kassa.url, shop, created.id)).body.status
}

test('the credentials of accounts are encrypted again while payments and rotations of credentials continue', {
  tags: ['long'],
}, async () => {
  for (let count = 0; count < ACCOUNTS; count++) await set(`retired-${count}`, `secret ${count}`)
  const { accountId } = await set('in-use', ctx.sandbox.bank.customers.secretOf('in-use'))
  expect(await countByKey()).toEqual([{ key: keyIdOf(SECRETS_KEY), count: ACCOUNTS + 1 }])

  // The state after every process was restarted with the newest key in the first place.
  const vault = createVault([NEW_KEY, SECRETS_KEY])
  Object.assign(ctx, { vault, accounts: openDirectory(ctx.db, vault) })
  const rotating = rotateSecrets(ctx)
  const payments = Promise.all(Array.from({ length: 12 }, (_, index) => pay(`order-${index}`)))
  await rotateAccount(ctx, accountId, { STEPS: 'one' })
  expect(await rotating).toBeGreaterThanOrEqual(ACCOUNTS)
  expect(await payments).toEqual(Array.from({ length: 12 }, () => 'paid'))
  expect(await countByKey()).toEqual([{ key: keyIdOf(NEW_KEY), count: ACCOUNTS + 1 }])

  // Remove the older key.
  const after = createVault([NEW_KEY])
  Object.assign(ctx, { vault: after, accounts: openDirectory(ctx.db, after) })
  const { byId } = await ctx.accounts.read()
  expect([...byId.values()].filter(({ problem }) => problem !== null)).toEqual([])
  expect((await findAccount(ctx, accountId))?.settings.SECRET).toBe(
    ctx.sandbox.bank.customers.secretOf('in-use'),
  )
  expect(await pay('after')).toBe('paid')
})
