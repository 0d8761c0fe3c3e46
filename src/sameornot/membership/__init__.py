"""What answers say about points: augmentation, training pairs, neighbourhood membership."""
