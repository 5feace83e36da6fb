/** Offers Kassa in WooCommerce's checkout of blocks. The texts come from the gateway, already in the buyer's language. */
;(() => {
  const { registerPaymentMethod } = window.wc.wcBlocksRegistry
  const { createElement } = window.wp.element
  const { decodeEntities } = window.wp.htmlEntities
  const { title, description, supports } = window.wc.wcSettings.getSetting('kassa_data', {})
  const text = (value) => decodeEntities(value || '')
  const content = createElement(() => text(description))

  registerPaymentMethod({
    name: 'kassa',
    label: createElement('span', null, text(title)),
    ariaLabel: text(title),
    content,
    edit: content,
    canMakePayment: () => true,
    supports: { features: supports || ['products'] },
  })
})()
