<?php

/** What the shop's people are told: a note at the order, and by mail where somebody has to do something. */

declare(strict_types=1);

namespace Kassa\WordPress;

use WC_Order;

function note(WC_Order $order, string $text): void
{
    $order->add_order_note(isTestMoney() ? $text . ' ' . __('(Test money)', 'kassa') : $text);
}

function askStaff(WC_Order $order, string $text): void
{
    note($order, $text);
    /* translators: %s: the number of an order */
    mailStaff(sprintf(__('Order %s needs a look', 'kassa'), $order->get_order_number()), "$text\n\n" . $order->get_edit_order_url(), $order);
}

function mailStaff(string $subject, string $text, ?WC_Order $order = null): void
{
    $to = apply_filters('kassa_mail_to', get_option('admin_email'), $order);
    wp_mail($to, wp_specialchars_decode('[' . get_bloginfo('name') . "] $subject", ENT_QUOTES), $text);
}
