/** After the start the deployment's own accounts are checked in the background. */
import { afterAll, expect, test } from 'vitest'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { openStripeShop } from '../testing/providers/stripe-scene.ts'
import { checkOwnAccounts } from './account-identity.ts'

const { close, kassa, scene, shop } = await openStripeShop()
afterAll(close)

test('a route with the key of another Stripe account is not used, and one that cannot be checked stays', async () => {
  const { route_a: route } = kassa.ctx.routes
  await checkOwnAccounts({ sandbox: kassa.ctx })
  expect(route.driver).not.toBeNull()
  scene.account.id = 'acct_ofSomebodyElse'
  scene.account.forbidden.add('GET account')
  await checkOwnAccounts({ sandbox: kassa.ctx })
  expect(route.driver).not.toBeNull()
  scene.account.forbidden.clear()
  await checkOwnAccounts({ sandbox: kassa.ctx })
  // Merchants read the reason.
  expect([route.driver, route.reason]).toEqual([null, 'Its credentials belong to another contract.'])
  const { status } = await createSession(kassa.url, shop, { key: 'other-1', body: sessionRequest() })
  expect([status, scene.account.sessions.size]).toEqual([503, 0])
})
