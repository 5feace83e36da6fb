/** An answer about a saved method that nobody can read: its account is unclear until the provider answers again, and nothing ends. */
import { expect, test } from 'vitest'
import { recallHealth } from '../../accounts/health.ts'
import { UnreadableError } from '../../providers/driver/refusal.ts'
import { findSavedMethod } from '../../storage/saved-methods/saved-methods.ts'
import { openToken } from '../../testing/payments/subscriptions.ts'
import { openScene } from '../../testing/scene.ts'
import { askProviderAboutMethod } from './ask.ts'

const { kassa, shop } = await openScene()

test('is told at the account, and ends with the next answer', async () => {
  const id = await openToken(kassa.url, shop)
  const method = await findSavedMethod(kassa.ctx.db, shop.merchantId, id)
  if (!method) throw new Error('Bug! The method is not stored.')
  const { route_a: route } = kassa.ctx.routes
  if (!route.driver) throw new Error('Bug! route_a has a driver.')
  const ask = () => askProviderAboutMethod(kassa.ctx, method, 'money')
  const health = async () => {
    kassa.ctx.accounts.forget()
    await kassa.ctx.accounts.read()
    return recallHealth(kassa.ctx, method.accountId).state
  }
  const lookUpToken = () => Promise.reject(new UnreadableError('something else'))
  kassa.ctx.routes.route_a = { ...route, driver: { ...route.driver, lookUpToken } }
  expect([(await ask()).kind, await health()]).toEqual(['unavailable', 'unclear'])
  kassa.ctx.routes.route_a = route
  expect([(await ask()).kind, await health()]).toEqual(['found', 'ok'])
})
