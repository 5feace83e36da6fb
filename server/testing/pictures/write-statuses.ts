/** Draws the payment statuses: `npm run generate -- states`. */
import { writeFile } from 'node:fs/promises'
import { drawStatuses } from './statuses.ts'

await writeFile(new URL('../../../public/payment-statuses.svg', import.meta.url), drawStatuses())
