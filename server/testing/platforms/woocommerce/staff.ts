/** The shop's people: they use WooCommerce's API with a password of an application, and the pages of the administration. */
import type { KassaAccess, OrderView, Refusal, Sum } from '../platform.ts'
import { type Browser, fieldOf, formOf, noticesOf, openBrowser, plain } from './browsing.ts'

/** Of WooCommerce's API, what is read here. */
export type WooOrder = {
  status: string
  total: string
  currency: string
  date_paid: string | null
  refunds: { id: number; total: string }[]
}

type Api = {
  setCurrency(currency: string, decimals: number): Promise<void>
  /** `stock`: how many there are. Without it WooCommerce counts none. */
  addProduct(sum: Sum, stock?: number): Promise<number>
  stockOf(productId: number): Promise<number>
  order(id: number): Promise<WooOrder>
  view(id: number): Promise<OrderView>
  refund(id: number, amount: string): Promise<Refusal>
  /** Given back in cash, say: nothing is asked of Kassa. */
  refundByHand(id: number, amount: string): Promise<void>
  deleteRefund(id: number, refundId: number): Promise<void>
  /** For good, not into the trash. */
  deleteOrder(id: number): Promise<void>
  setStatus(id: number, status: string): Promise<void>
  /** `method`: the way to pay, such as `cod`. */
  setMethod(id: number, method: string): Promise<void>
  listNotes(id: number): Promise<string[]>
}

type Settings = {
  /** `isOffered`: whether *Enabled* is ticked. */
  saveSettings(access: KassaAccess, isOffered?: boolean): Promise<Refusal>
  /** What the settings page says is still to be done. Where all is well it is empty. */
  listTasks(): Promise<string[]>
  /** Where the plug-in's row in the list of plug-ins leads to. */
  settingsLink(): Promise<string>
}
type Desk = {
  act(id: number, action: string): Promise<Refusal>
  /** Saves the settings of the pay button. Returns the public key that the form shows then. */
  savePublicKey(key: string): Promise<string>
}
export type Staff = Api & Desk & Settings

const SETTINGS = '/wp-admin/admin.php?page=wc-settings&tab=checkout&section=kassa'
const PASSWORD = 'staff-of-a-test'
const FAILED = /failed at the bank|went back without paying/
/** Notes about an act that did not happen. */
const REFUSED = /\(Kassa\): (?!Sent to the bank)/

const STATES: Record<string, OrderView['state']> = {
  pending: 'open',
  failed: 'open',
  'checkout-draft': 'open',
  'on-hold': 'held',
  processing: 'paid',
  completed: 'paid',
  refunded: 'paid',
  cancelled: 'cancelled',
}

/** Every currency of Kassa has two digits. */
export const majorOf = (minor: number) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
export const minorOf = (text: string) => Math.round(Number(text) * 100)

function viewOf(order: WooOrder, notes: string[]): OrderView {
  const state = STATES[order.status]
  if (!state) throw new Error(`The order is ${order.status}.`)
  const refunded = order.refunds.map(({ total }) => -minorOf(total))
  return {
    state,
    paidMinor: order.date_paid === null ? 0 : minorOf(order.total),
    refundedMinor: refunded.reduce((sum, each) => sum + each, 0),
    failures: notes.filter((note) => FAILED.test(note)).length,
    notes,
  }
}

export function employStaff(site: string, password: string): Staff {
  const api = openApi(site, password)
  return { ...api, ...openDesk(site, api) }
}

/** Calls WooCommerce's API with the password. */
function openCalls(site: string, password: string) {
  const authorization = `Basic ${Buffer.from(`staff:${password}`).toString('base64')}`
  const api = openBrowser(site)

  // biome-ignore lint/suspicious/noExplicitAny: the API answers in every shape
  async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
    const { status, text } = await api.call(method, `/wp-json/wc/v3${path}`, { authorization }, body)
    return { status, body: JSON.parse(text) }
  }
  async function get(path: string) {
    const { status, body } = await call('GET', path)
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body
  }
  return { call, get }
}

function openApi(site: string, password: string): Api {
  const calls = openCalls(site, password)
  const { call, get } = calls
  const listNotes = async (id: number): Promise<string[]> =>
    (await get(`/orders/${id}/notes`)).map((each: { note: string }) => each.note)

  return {
    ...refundsOf(calls),
    listNotes,
    async setCurrency(currency, decimals) {
      for (const [name, value] of Object.entries({
        woocommerce_currency: currency,
        woocommerce_price_num_decimals: String(decimals),
      }))
        await call('PUT', `/settings/general/${name}`, { value })
    },
    // Without a stock: WooCommerce cannot reserve the same goods twice within a second for a button that is pressed twice.
    async addProduct({ amountMinor }, stock) {
      const product = {
        name: 'Tea',
        type: 'simple',
        regular_price: majorOf(amountMinor),
        virtual: true,
        ...(stock !== undefined && { manage_stock: true, stock_quantity: stock }),
      }
      const { status, body } = await call('POST', '/products', product)
      if (status !== 201) throw new Error(JSON.stringify(body))
      return body.id
    },
    stockOf: async (productId) => (await get(`/products/${productId}`)).stock_quantity,
    async setStatus(id, status) {
      await call('PUT', `/orders/${id}`, { status })
    },
    async setMethod(id, method) {
      await call('PUT', `/orders/${id}`, { payment_method: method })
    },
    order: (id) => get(`/orders/${id}`),
    async view(id) {
      const order: WooOrder = await get(`/orders/${id}`)
      const notes = await listNotes(id)
      return viewOf(order, notes)
    },
  }
}

type Refunds = Pick<Api, 'refund' | 'refundByHand' | 'deleteRefund' | 'deleteOrder'>

function refundsOf({ call }: ReturnType<typeof openCalls>): Refunds {
  return {
    async refund(id, amount) {
      const { status, body } = await call('POST', `/orders/${id}/refunds`, {
        amount,
        reason: 'returned',
        api_refund: true,
      })
      return status === 201 ? null : body.message
    },
    async refundByHand(id, amount) {
      const { status, body } = await call('POST', `/orders/${id}/refunds`, { amount, api_refund: false })
      if (status !== 201) throw new Error(JSON.stringify(body))
    },
    async deleteRefund(id, refundId) {
      const { status, body } = await call('DELETE', `/orders/${id}/refunds/${refundId}?force=true`)
      if (status !== 200) throw new Error(JSON.stringify(body))
    },
    async deleteOrder(id) {
      const { status, body } = await call('DELETE', `/orders/${id}?force=true`)
      if (status !== 200) throw new Error(JSON.stringify(body))
    },
  }
}

/** The pages of the administration, after a login. */
function openDesk(site: string, { listNotes }: Api): Desk & Settings {
  let desk: Promise<Browser> | null = null

  async function logIn(): Promise<Browser> {
    const browser = openBrowser(site)
    await browser.open('/wp-login.php')
    const page = await browser.open('/wp-login.php', { log: 'staff', pwd: PASSWORD, testcookie: '1' })
    if (page.url.includes('wp-login')) throw new Error('The staff could not log in.')
    return browser
  }
  const atDesk = () => {
    desk ??= logIn()
    return desk
  }

  return {
    ...openSettings(atDesk),
    async act(id, action) {
      const browser = await atDesk()
      const before = (await listNotes(id)).filter((note) => REFUSED.test(note)).length
      const page = await browser.open(`/wp-admin/admin.php?page=wc-orders&action=edit&id=${id}`)
      const form = { ...formOf(page, 'order'), wc_order_action: action, save: 'Update' }
      await browser.open(`/wp-admin/admin.php?page=wc-orders&action=edit&id=${id}`, form)
      const refused = (await listNotes(id)).filter((note) => REFUSED.test(note))
      return refused.length > before ? (refused[0] ?? '') : null
    },
    async savePublicKey(key) {
      const browser = await atDesk()
      const page = await browser.open('/wp-admin/options-general.php?page=kassa')
      const form = { action: 'kassa_button', _wpnonce: fieldOf(page, '_wpnonce'), public_key: key }
      return fieldOf(await browser.open('/wp-admin/admin-post.php', form), 'public_key')
    },
  }
}

/** The settings of the plug-in. */
function openSettings(atDesk: () => Promise<Browser>): Settings {
  return {
    async listTasks() {
      const browser = await atDesk()
      const { text } = await browser.open(SETTINGS)
      const [, list] = text.split('class="kassa-findings"')
      if (list === undefined) throw new Error('The settings page says nothing of how it stands.')
      const [findings = ''] = list.split('</ul>')
      return findings.split('</li>').filter((finding) => finding.includes('To do:'))
    },
    async settingsLink() {
      const browser = await atDesk()
      const { text } = await browser.open('/wp-admin/plugins.php')
      const [, row = ''] = text.split('data-plugin="kassa/kassa.php"')
      const [, link = ''] = row.match(/<a href="([^"]*)">Settings<\/a>/) ?? []
      return plain(link)
    },
    async saveSettings({ url, token, webhookSecret }, isOffered = true) {
      const browser = await atDesk()
      const page = await browser.open(SETTINGS)
      const form = {
        _wpnonce: fieldOf(page, '_wpnonce'),
        ...(isOffered && { woocommerce_kassa_enabled: '1' }),
        woocommerce_kassa_url: url,
        woocommerce_kassa_token: token,
        woocommerce_kassa_secret: webhookSecret,
        save: 'Save changes',
      }
      const errors = noticesOf(await browser.open(SETTINGS, form), 'error inline')
      return errors.length > 0 ? errors.join(' ') : null
    },
  }
}
