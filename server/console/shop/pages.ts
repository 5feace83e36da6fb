/** The screens of one shop. */
import type { ConsolePage } from '../page.ts'
import { BANK_PAGES } from './bank.ts'
import { BRAND_PAGES } from './brand.ts'
import { DOMAIN_PAGES } from './domains.ts'
import { LIVE_PAGES } from './live.ts'
import { NOTICE_PAGES } from './notices.ts'
import { PRODUCT_PAGES } from './products.ts'
import { REVIEW_PAGES } from './reviews.ts'
import { SHARE_PAGES } from './share.ts'

export const SHOP_PAGES: readonly ConsolePage[] = [
  ...PRODUCT_PAGES,
  ...BRAND_PAGES,
  ...BANK_PAGES,
  ...DOMAIN_PAGES,
  ...SHARE_PAGES,
  ...NOTICE_PAGES,
  ...LIVE_PAGES,
  ...REVIEW_PAGES,
]
