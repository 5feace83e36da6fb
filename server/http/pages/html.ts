import { html } from 'htm/preact'
import type { VNode } from 'preact'

/** `html` writes markup; every text and attribute put into it is escaped when the page is rendered. */
export { html }
export type Markup = VNode | VNode[] | null
