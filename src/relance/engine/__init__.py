"""The loops that move every lead: one loop a file, each a pass plus patience."""
