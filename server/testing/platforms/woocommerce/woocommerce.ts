/**
 * WooCommerce with our plug-in. It is not installed by npm: KASSA_WOOCOMMERCE names a folder with a WordPress and WooCommerce in it, of
 * which each run takes a copy.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packPlugin } from '../../../plugins/woocommerce/pack.ts'
import type { Opening, Platform, PlatformShop } from '../platform.ts'
import type { Browser } from './browsing.ts'
import { type Buyer, type CheckoutKind, createBuyer } from './buyer.ts'
import { checkPhp, runPhp } from './processes.ts'
import { employStaff, majorOf, minorOf, type Staff } from './staff.ts'
import { missingFor, startWordPress, type WordPress } from './wordpress.ts'

const THEMES: Record<CheckoutKind, string> = { classic: 'storefront', block: 'twentytwentythree' }
/** Dram prices are shown without decimals. */
const DECIMALS = { AMD: 0, USD: 2, EUR: 2 }

/** What only the scenarios of WooCommerce itself use. */
export type WooCommerceShop = PlatformShop & {
  url: string
  staff: Staff
  orderOf(order: string): number
  /** The browser of the order's buyer. */
  browserOf(order: string): Browser
  act(input: object): Promise<void>
  /** The subjects of the mails so far, with the texts of those that are no page. */
  mails(): { to: string; subject: string; message: string }[]
}
export type WooCommerce = Omit<Platform, 'open'> & { open(opening: Opening): Promise<WooCommerceShop> }

export const woocommerce = (kind: CheckoutKind): WooCommerce => ({
  name: `woocommerce-${kind}`,
  find() {
    const folder = process.env.KASSA_WOOCOMMERCE
    if (!folder)
      return {
        missing:
          'WooCommerce is not here. Name a folder with WordPress and WooCommerce in KASSA_WOOCOMMERCE.',
      }
    const missing = missingFor(folder)
    return missing === null ? { folder } : { missing }
  },
  checkSources: async (folder) => checkPhp(packPlugin(folder)),
  async open({ kassa, install, folder }) {
    let printed = ''
    const wordpress = await startWordPress(install, {
      folder,
      plugin: packPlugin(folder),
      async setUp(site) {
        await runPhp(site, 'set-up.php', { theme: THEMES[kind] })
        printed = await runPhp(site, 'set-up-shop.php', { checkout: kind })
      },
    })
    const { password, versions, usesOwnTables, callbackUrl } = JSON.parse(printed)
    const staff = employStaff(wordpress.url, password)
    const refusal = await staff.saveSettings(kassa).catch(String)
    if (refusal !== null) {
      await wordpress.close()
      throw new Error(`The settings were refused: ${refusal} ${wordpress.output()}`)
    }
    const tables = usesOwnTables ? 'orders in their own tables' : 'orders as posts'
    const version = `WooCommerce ${versions.woocommerce} on WordPress ${versions.wordpress} and PHP ${versions.php}, ${kind} checkout, ${tables}`
    return { callbackUrl, version, ...shopOf(wordpress, staff, kind) }
  },
})

function shopOf(
  wordpress: WordPress,
  staff: Staff,
  kind: CheckoutKind,
): Omit<WooCommerceShop, 'callbackUrl' | 'version'> {
  const buyers = new Map<string, Buyer>()
  const buyerOf = (order: string) => {
    const buyer = buyers.get(order)
    if (!buyer) throw new Error(`There is no cart ${order}.`)
    return buyer
  }
  const orderOf = (order: string) => {
    const { orderId } = buyerOf(order)
    if (orderId === null) throw new Error(`The button of ${order} was not pressed.`)
    return orderId
  }
  return {
    async createOrder(sum) {
      await staff.setCurrency(sum.currency, DECIMALS[sum.currency])
      const buyer = createBuyer(wordpress.url, kind, await staff.addProduct(sum))
      await buyer.add()
      const name = `cart ${buyers.size + 1}`
      buyers.set(name, buyer)
      return name
    },
    url: wordpress.url,
    staff,
    orderOf,
    browserOf: (order) => buyerOf(order).browser,
    async act(input) {
      await runPhp(wordpress.site, 'act-in-shop.php', input)
    },
    mails() {
      const file = join(wordpress.site, 'wp-content/mails.jsonl')
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
      return lines.map((line) => JSON.parse(line))
    },
    checkOut: (order) => buyerOf(order).pay(),
    async changeCart(order) {
      const buyer = buyerOf(order)
      const before = await staff.order(orderOf(order))
      await buyer.add()
      return 2 * minorOf(before.total)
    },
    async comeBack(order, address) {
      await buyerOf(order).browser.open(address)
    },
    view: (order) => staff.view(orderOf(order)),
    refund: (order, amountMinor) => staff.refund(orderOf(order), majorOf(amountMinor)),
    capture: (order) => staff.act(orderOf(order), 'kassa_capture'),
    void: (order) => staff.act(orderOf(order), 'kassa_void'),
    saveSettings: (access) => staff.saveSettings(access),
    kill: () => wordpress.kill(),
    restart: () => wordpress.restart(),
    output: () => wordpress.output(),
    close: () => wordpress.close(),
  }
}
