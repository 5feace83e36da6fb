/** What a hosted page is asked and what it returns. `http/pages` serves them. */
import type { Context } from '../context.ts'
import type { World } from '../contract/health.ts'
import type { StrangerCost } from '../limits/cost.ts'
import type { Limited } from '../limits/limited.ts'
import type { Refresh } from './checkout/look-again.ts'
import type { MessageKind } from './message-page.ts'
import type { LocaleLinks } from './page.ts'
import { LOCALES, type Locale } from './words/locale.ts'

export type Visit = {
  method: 'get' | 'post'
  path: string
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a posted form. */
  form: Record<string, string>
  /** Our own cookies. */
  cookies: Record<string, string>
  /**
   * The page that posted a form, as the browser states it. A program other than a browser states nothing. Only `own_page` may get a
   * cookie that later tells the buyer something.
   */
  sender: 'own_page' | 'other_site' | 'unstated'
  /** The visitor's IP address. */
  address: string
  locale: Locale
  /** The end of an address that keeps a language that the buyer chose. It is empty, or starts with the question mark. */
  chosenLocale: string
  /** The same page in each language. */
  localeLinks: LocaleLinks
  /**
   * True if a page has led a whole window of a browser here. False for an address that somebody typed or opened from another
   * program, for a prefetch, for a frame, for a program, and for browsers from before 2023, which do not state it.
   */
  isLedHere?: boolean
  /** The page from which the buyer comes, as the browser states it. */
  referrer?: string | undefined
}
/** A cookie of ours in the buyer's browser. `buyer-cookies.ts` has what they are for. */
export type BuyerCookie = { name: string; value: string; seconds: number }

export type Shown =
  | { kind: 'page'; html: string; status?: number; refresh?: Refresh | undefined }
  /** `keepsForm`: the browser posts the same form to the new address. `about`: the payment with which the buyer goes on. */
  | {
      kind: 'redirect'
      url: string
      keepsForm?: boolean
      /** 303 by default. 302 is what programs that read addresses, such as scanners of QR codes, expect of a short one. */
      status?: 302
      cookies?: readonly BuyerCookie[]
      about?: { paymentId: string }
    }
  | { kind: 'message'; message: MessageKind; status: number }
  | { kind: 'not_found' }

export type PageEndpoint = {
  /** Present if the page belongs to one world. Otherwise the first id or key in its address names the world. */
  world?: World
  method: 'get' | 'post'
  path: string
  /**
   * The rate limit that counts its visits, together with the widget's calls for the public key in the address. By default
   * `page`.
   */
  limited?: Limited
  /** What a visit may cost. */
  stranger: StrangerCost
  /** Present if its form is larger than usual. */
  formBytesMax?: number
  handle(ctx: Context, visit: Visit): Promise<Shown>
}

/** Returns the address of the same page in each language. */
export function linksTo(path: string, query: Record<string, string>): LocaleLinks {
  const link = (locale: Locale) => `${path}?${new URLSearchParams({ ...query, locale })}`
  return Object.fromEntries(LOCALES.map((each) => [each, link(each)]))
}
