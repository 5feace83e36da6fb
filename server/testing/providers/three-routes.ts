/** A shop that takes cards through ArCa, the wallet Idram and PayPal, between which its buyers choose. */
import { callbackUrlOf } from '../../accounts/callback-address.ts'
import { setMerchantRoutes } from '../../merchants/routes.ts'
import { openShop, startKassa } from '../harness.ts'
import { FLEET, type Simulated } from './fleet/drivers.ts'
import { routeSettings } from './route-settings.ts'

const ROUTES = {
  route_a: { driver: 'rbs', label: 'Bank card', labels: { hy: 'Բանկային քարտ', ru: 'Банковская карта' } },
  route_b: { driver: 'idram', label: 'Idram', labels: {} },
  route_c: { driver: 'paypal', label: 'PayPal', labels: {} },
} as const
export type ThreeRoutes = Awaited<ReturnType<typeof setThreeRoutes>>

export async function setThreeRoutes() {
  const simulators: Record<string, Simulated> = {}
  const settings: Record<string, string> = {}
  for (const [route, { driver }] of Object.entries(ROUTES)) {
    const simulator = await FLEET[driver]?.start()
    if (!simulator) throw new Error(`no driver ${driver}`)
    simulators[driver] = simulator
    const own = { DRIVER: driver, ...simulator.settingsAt(simulator.origin, 'one') }
    Object.assign(settings, routeSettings(route.toUpperCase(), own))
  }
  const kassa = await startKassa({ settings })
  const shop = await openShop(kassa.ctx)
  const offered = Object.entries(ROUTES).map(([route, { label, labels }]) => ({
    route: route as keyof typeof ROUTES,
    label,
    labels,
  }))
  await setMerchantRoutes(kassa.ctx, shop.merchantId, offered)
  const { pathname } = new URL(callbackUrlOf(kassa.ctx, kassa.ctx.routes.route_b))
  const callbackUrl = `${kassa.url}${pathname}`
  simulators.idram?.setUp?.({ callbackUrl, returnUrl: callbackUrl.replace('/callbacks/', '/returns/') })
  return {
    kassa,
    shop,
    simulators,
    async close() {
      await kassa.close()
      for (const simulator of Object.values(simulators)) await simulator.close()
    },
  }
}
