/** The list of the console's pages. */
import { LINK_PAGES } from './link.ts'
import type { ConsolePage } from './page.ts'
import { SIGN_IN_PAGES } from './sign-in.ts'
import { start } from './start.ts'

export const CONSOLE_PAGES: readonly ConsolePage[] = [start, ...SIGN_IN_PAGES, ...LINK_PAGES]
