/** Stripe's hosted page as a minimal form that works without scripts. */
import type Stripe from 'stripe'
import { escapeHtml, frame } from '../simulator/page.ts'
import { CARDS } from './cards.ts'

/** `problem`: the result of the last attempt. */
export function checkoutPage(session: Stripe.Checkout.Session, name: string, problem: string | null): string {
  const { amount_total: amount, currency, mode, cancel_url: cancelUrl } = session
  const title = mode === 'setup' ? 'Save a card' : name
  const sum =
    amount === null
      ? ''
      : `<p><strong>${escapeHtml(decimal(amount))} ${escapeHtml(String(currency).toUpperCase())}</strong></p>`
  const buttons = Object.entries(CARDS)
    .filter(([key]) => mode === 'setup' || !key.startsWith('saved_'))
    .map(
      ([key, card]) =>
        `<button name="card" value="${key}">${escapeHtml(card.label)} ···· ${card.last4}</button>`,
    )
  return frame(
    title,
    `<p>Simulated Stripe, test money</p><h1>${escapeHtml(title)}</h1>${sum}
${problem === null ? '' : `<p role="alert">${escapeHtml(problem)}</p>`}
<form method="post">${buttons.join('\n')}</form>
${cancelUrl === null ? '' : `<p><a href="${escapeHtml(cancelUrl)}">Back to the shop</a></p>`}`,
  )
}

export function challengePage(): string {
  return frame(
    'Is it you?',
    `<h1>Your bank asks: is it you?</h1><form method="post">
<button name="challenge" value="pass">Yes, pay</button>
<button name="challenge" value="fail">No</button></form>`,
  )
}

export function overPage(): string {
  return frame('Over', '<h1>This page has expired or is paid</h1>')
}

function decimal(minor: number): string {
  return `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
}
