/** The block "Kassa pay button" in the editor. The server draws the button itself. */
;(() => {
  const { registerBlockType } = window.wp.blocks
  const { createElement: element, Fragment } = window.wp.element
  const { InspectorControls, useBlockProps } = window.wp.blockEditor
  const { PanelBody, TextControl, Placeholder } = window.wp.components
  const { title, fields, missing } = window.kassaButtonBlock

  function Edit({ attributes, setAttributes }) {
    const controls = Object.entries(fields).map(([name, label]) =>
      element(TextControl, {
        key: name,
        label,
        value: attributes[name],
        onChange: (value) => setAttributes({ [name]: value }),
      }),
    )
    const shown = attributes.product ? `${attributes.product} ${attributes.price}` : missing
    return element(
      Fragment,
      null,
      element(InspectorControls, null, element(PanelBody, { title }, controls)),
      element('div', useBlockProps(), element(Placeholder, { label: title, instructions: shown })),
    )
  }

  registerBlockType('kassa/pay-button', { edit: Edit, save: () => null })
})()
