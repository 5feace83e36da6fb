import { html } from 'htm/preact'
import type { VNode } from 'preact'

/** `html` writes markup. Every text and attribute in it is escaped when the page is rendered. */
export { html }
export type Markup = VNode | VNode[] | null
