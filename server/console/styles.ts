/**
 * The styles of every screen. They stand in the page itself: a phone on a slow line shows the screen after one answer and does not
 * wait for a second one. The policy of the page allows this text by its digest, and no other style.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const SHEETS = ['tokens.css', 'pages.css', 'console/desk.css']
/** What is of the hosted pages alone. A phone would read it for nothing. */
const AFTER_END = /\/\* The console reads no further[\s\S]*/
const COMMENTS = /\/\*[\s\S]*?\*\//g
const INDENTS = /\n\s+/g

/** Read once. A page cannot be shown in the styles of another release. */
export const STYLES = SHEETS.map((sheet) =>
  readFileSync(new URL(`../../public/${sheet}`, import.meta.url), 'utf8').replace(AFTER_END, ''),
)
  .join('')
  .replace(COMMENTS, '')
  .replace(INDENTS, '\n')

/** For `style-src` of the content security policy. */
export const STYLES_DIGEST = `'sha256-${createHash('sha256').update(STYLES).digest('base64')}'`
