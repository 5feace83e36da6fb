/** The list of the console's pages. */
import type { ConsolePage } from './page.ts'
import { welcome } from './welcome.ts'

export const CONSOLE_PAGES: readonly ConsolePage[] = [welcome]
