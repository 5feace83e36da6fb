<?php

/** The way to pay in the checkout of blocks. Its script is `assets/checkout-block.js`. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

final class CheckoutBlock extends AbstractPaymentMethodType
{
    protected $name = 'kassa';

    public function initialize(): void
    {
        $this->settings = get_option(OPTION, []);
    }

    private function gateway(): ?Gateway
    {
        return WC()->payment_gateways()->payment_gateways()['kassa'] ?? null;
    }

    public function is_active(): bool
    {
        $gateway = $this->gateway();
        return $gateway !== null && $gateway->is_available();
    }

    public function get_payment_method_script_handles(): array
    {
        $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        wp_register_script('kassa-checkout-block', plugins_url('assets/checkout-block.js', FILE), $needs, VERSION, true);
        return ['kassa-checkout-block'];
    }

    public function get_payment_method_data(): array
    {
        $gateway = $this->gateway();
        return [
            'title' => $gateway ? $gateway->get_title() : '',
            'description' => $gateway ? $gateway->get_description() : '',
            'supports' => $gateway ? array_values(array_filter($gateway->supports, [$gateway, 'supports'])) : [],
        ];
    }
}
