/** The pages about what the books of a shop and of its providers say. */
import type { ConsolePage } from './page.ts'
import { CANCEL_PAGES } from './subscriptions/cancel.ts'
import { subscriptions } from './subscriptions/list.ts'
import { subscription } from './subscriptions/subscription.ts'

export const BOOKS_PAGES: readonly ConsolePage[] = [subscriptions, subscription, ...CANCEL_PAGES]
