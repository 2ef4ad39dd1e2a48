ALTER TABLE `functions` ADD `earlier_live_ids` text;--> statement-breakpoint
ALTER TABLE `functions` ADD `pruned_to_id` integer DEFAULT 0 NOT NULL;