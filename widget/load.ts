/**
 * The entry imports this file first, so that the libraries load while the page's names are off Object.prototype.
 * The entry puts the names back in its last line.
 */
import { removeNames } from './unpolluted.ts'

export const putNamesBack = removeNames()
// If something throws while it loads, the names still come back before any other script of the page runs.
queueMicrotask(putNamesBack)
